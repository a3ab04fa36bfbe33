/**
 * The documents of the repository as a site: the Markdown files stay where they are, and the pages of the API stand beside them.
 * VitePress fails on a link that leads to no page; a link to a file that is no page (a source, a manifest) has to exist, and is
 * shown as text.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withMermaid } from 'vitepress-plugin-mermaid';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const { version, description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const page = (text, name) => ({ text, link: `/docs/${name}` });

export default withMermaid({
  title: 'tramita',
  description,
  srcDir: ROOT,
  srcExclude: [
    '{packages,examples,deploy,tools,dist,test,.tramita,coverage}/**',
    '**/node_modules/**',
    'docs/site/README.md',
  ],
  // The API lies in this package's folder, the front page is the README.
  rewrites: { 'README.md': 'index.md', 'docs/site/api/:rest*': 'api/:rest*' },
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
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type !== 'link_open') continue;
    const target = decodeURI(token.attrGet('href') ?? '').split('#')[0] ?? '';
    if (target === '' || /^[a-z]+:/.test(target) || /\.md$|\.html$/.test(target)) continue;
    const file = join(dirname(env.path), target);
    if (!existsSync(file)) throw new Error(`${env.relativePath} links to ${target}, which is not there`);
    token.tag = 'span';
    token.attrs = [];
    const close = tokens
      .flatMap(({ children }) => children ?? [])
      .find((each, place, all) => each.type === 'link_close' && place > all.indexOf(token));
    if (close !== undefined) close.tag = 'span';
  }
}
