import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';

const docs = join(import.meta.dirname, '..');

/** The API reference: written by TypeDoc, and absent until `docs:api` has run. */
function apiItems(): DefaultTheme.SidebarItem[] {
  const sidebar = join(docs, 'api/typedoc-sidebar.json');
  return existsSync(sidebar) ? JSON.parse(readFileSync(sidebar, 'utf8')) : [];
}

/** One item a decision, newest first, titled by its heading. */
function decisionItems(): DefaultTheme.SidebarItem[] {
  const names = readdirSync(join(docs, 'decisions')).filter((name) => /^\d{4}-.*\.md$/.test(name));
  return names
    .sort()
    .reverse()
    .map((name) => ({
      text: /^# (.+)$/m.exec(readFileSync(join(docs, 'decisions', name), 'utf8'))?.[1] ?? name,
      link: `/decisions/${name.replace(/\.md$/, '')}`,
    }));
}

export default defineConfig({
  title: 'Varve',
  description: 'A plugin-based context engine for LLM agents',
  lang: 'en',
  cleanUrls: true,
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    nav: [
      { text: 'Start', link: '/' },
      { text: 'Write a plugin', link: '/guides/write-a-plugin' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: [
      {
        text: 'Guides',
        items: [
          { text: 'Start in five minutes', link: '/' },
          { text: 'Write a plugin', link: '/guides/write-a-plugin' },
        ],
      },
      { text: 'Explanation', items: [{ text: 'The strata', link: '/explanation/strata' }] },
      {
        text: 'Reference',
        items: [
          { text: 'Errors', link: '/reference/errors' },
          { text: 'API', link: '/api/', collapsed: true, items: apiItems() },
        ],
      },
      { text: 'Decisions', collapsed: true, items: decisionItems() },
    ],
  },
});
