import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Code without source map: 1.21 MB, and zod would add 1 MB. */
const MAX_BYTES = 1_300_000;

describe('the workflow bundle', () => {
  let code = '';

  beforeAll(async () => {
    const bundle = await bundleWorkflowCode({
      workflowsPath: join(__dirname, '../../src/workflows/index.ts'),
      logger: { log: noop, trace: noop, debug: noop, info: noop, warn: noop, error: noop },
    });
    code = bundle.code
      .split('\n')
      .filter((line) => !line.startsWith('//# sourceMappingURL'))
      .join('\n');
  });

  it('builds without an ignore list, so it has no Node built-in', () => {
    expect(code.length).toBeGreaterThan(100_000);
  });

  it('contains no zod, no axios and no database driver', () => {
    for (const trace of [
      'ZodError',
      '_zod',
      'node_modules/zod',
      'node_modules/axios',
      'node_modules/pg/',
      'node_modules/kysely',
    ]) {
      expect(code.includes(trace)).toBe(false);
    }
  });

  it(`stays under ${MAX_BYTES} bytes`, () => {
    expect(Buffer.byteLength(code)).toBeLessThan(MAX_BYTES);
  });

  it('contains the workflow types and the catch-all for unknown ones', () => {
    expect(code).toContain('refreshCase');
    expect(code).toContain('unknownType');
  });
});

function noop(): void {
  // The bundler's log says nothing about the result.
}
