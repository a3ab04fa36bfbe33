/**
 * `tramita/workflow` as an ES module. In a bundle, a default import of the CommonJS door from an ES module would be the whole
 * door and not its default export, so unknown workflow types would not be refused.
 */
import door from './index.js';

export * from './index.js';
export default door.default;
