/** Links of the made pages that lead nowhere: VitePress looks at pages, this at their anchors as well. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** One sentence per link of `site` that leads to no page or to no anchor of it. */
export function brokenLinks(site) {
  const texts = new Map(
    readdirSync(site, { recursive: true })
      .filter((file) => file.endsWith('.html') && file !== '404.html')
      .map((file) => [join(site, file), readFileSync(join(site, file), 'utf8')]),
  );
  const anchors = new Map([...texts].map(([page, text]) => [page, new Set(text.match(/(?<= id=")[^"]+/g))]));
  return [...texts].flatMap(([page, text]) => {
    const targets = new Set([...text.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href]) => href));
    return [...targets]
      .filter((href) => !/^(https?|mailto):/.test(href) && !leadsSomewhere(href))
      .map((href) => `${page.slice(site.length + 1)} links to ${href}`);

    function leadsSomewhere(href) {
      const [path = '', anchor = ''] = href.split('#').map(decodeURIComponent);
      const to = path === '' ? page : path.startsWith('/') ? join(site, path) : resolve(dirname(page), path);
      const found = [to, `${to}.html`, join(to, 'index.html')].find((each) =>
        statSync(each, { throwIfNoEntry: false })?.isFile(),
      );
      return found !== undefined && (anchor === '' || anchors.get(found)?.has(anchor) === true);
    }
  });
}
