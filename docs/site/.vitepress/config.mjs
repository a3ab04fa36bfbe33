/**
 * The documents of the repository as a site: `build.mjs` copies the Markdown files, and makes the pages of the API beside them.
 * VitePress fails on a link that leads to no page; a link to a file that is no page (a source, a manifest) has to exist, and is
 * shown as text.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withMermaid } from 'vitepress-plugin-mermaid';

const SITE = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PAGES = join(SITE, 'pages');
const ROOT = join(SITE, '..', '..');
const { version, description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const page = (text, name) => ({ text, link: `/docs/${name}` });

export default withMermaid({
  title: 'tramita',
  description,
  srcDir: 'pages',
  rewrites: { 'README.md': 'index.md' },
  outDir: join(ROOT, 'dist', 'site'),
  cacheDir: join(ROOT, '.tramita', 'site-cache'),
  lang: 'en',
  cleanUrls: true,
  lastUpdated: false,
  // Texts have generics and placeholders like <account>: they are no HTML.
  markdown: { html: false, config: (md) => md.core.ruler.push('files-as-text', filesAsText) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: `${version}`, link: '/CHANGELOG' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [{ text: 'What it is', link: '/' }, page('Tutorial', 'tutorial'), page('Glossary', 'glossary')],
      },
      {
        text: 'Use it',
        items: [
          page('The flows', 'flows'),
          page('Workers and plugin', 'workers'),
          page('Any language, Nexus', 'languages'),
          page('Webhooks', 'webhooks'),
          page('Data', 'data'),
        ],
      },
      {
        text: 'Run it',
        items: [
          page('Deploy', 'deploy'),
          page('Configuration', 'configuration'),
          page('Operations', 'operations'),
          page('Backup', 'backup'),
          page('Upgrade', 'upgrade'),
          page('Personal data', 'privacy'),
        ],
      },
      {
        text: 'Know it',
        items: [
          { text: 'API', link: '/api/' },
          page('Sandbox', 'sandbox'),
          page('Measurements', 'measurements'),
          page('Decisions', 'decisions/README'),
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Changelog', link: '/CHANGELOG' },
        ],
      },
    ],
  },
});

/** A link to something of the repository that is no page loses its address; one to nothing fails the build. */
function filesAsText({ tokens, env }) {
  let isText = false;
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === 'link_close' && isText) token.tag = 'span';
    if (token.type !== 'link_open') continue;
    const [target = '', anchor] = decodeURI(token.attrGet('href') ?? '').split('#');
    const isFile = target !== '' && !/^[a-z]+:/.test(target);
    const file = join(ROOT, dirname(relative(PAGES, env.path)), target);
    if (isFile && !/\/pages\/api\//.test(env.path) && !existsSync(file)) {
      throw new Error(`tramita: ${env.relativePath} links to ${target}, which is not there`);
    }
    // The README is the front page.
    if (file === join(ROOT, 'README.md')) token.attrSet('href', anchor === undefined ? '/' : `/#${anchor}`);
    isText = isFile && !target.endsWith('.md');
    if (isText) Object.assign(token, { tag: 'span', attrs: [] });
  }
}
