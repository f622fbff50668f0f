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

/** The anchor of a heading as code hosts make it, so that a link works there and here. */
function slugify(heading: string): string {
  const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.trim().replaceAll(/\s+/g, '-');
}

/** In the order in which they run. */
const hookItems: DefaultTheme.SidebarItem[] = [
  { text: 'ingest', link: '/reference/hooks/ingest' },
  { text: 'collect', link: '/reference/hooks/collect' },
  { text: 'shape', link: '/reference/hooks/shape' },
  { text: 'fit', link: '/reference/hooks/fit' },
  { text: 'shouldCompact', link: '/reference/hooks/shouldCompact' },
  { text: 'beforeCompact', link: '/reference/hooks/beforeCompact' },
  { text: 'compact', link: '/reference/hooks/compact' },
  { text: 'summarize', link: '/reference/hooks/summarize' },
  { text: 'command', link: '/reference/hooks/command' },
  { text: 'shouldReset', link: '/reference/hooks/shouldReset' },
  { text: 'deliver', link: '/reference/hooks/deliver' },
];

export default defineConfig({
  title: 'Varve',
  description: 'A plugin-based context engine for LLM agents',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }]],
  cleanUrls: true,
  markdown: { anchor: { slugify } },
  // The search index of all pages, the API included, is one chunk; it is fetched when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 3_000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    footer: { message: 'What was said is never changed, what is sent is computed.', copyright: 'MIT licensed' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Playground', link: '/playground' },
      { text: 'Write a plugin', link: '/guides/write-a-plugin' },
      { text: 'Hooks', link: '/reference/hooks' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Varve', link: '/' },
          { text: 'Start in three steps', link: '/start' },
          { text: 'Playground', link: '/playground' },
        ],
      },
      {
        text: 'Guides',
        items: [
          { text: 'Run a turn', link: '/guides/run-a-turn' },
          { text: 'Swap a strategy', link: '/guides/swap-a-strategy' },
          { text: 'Keep many conversations', link: '/guides/many-conversations' },
          { text: 'Many machines', link: '/guides/many-machines' },
          { text: 'Receive messages', link: '/guides/receive-messages' },
          { text: 'Give tasks to sub-agents', link: '/guides/sub-agents' },
          { text: 'Look after sessions', link: '/guides/sessions-command' },
          { text: 'Run a gateway', link: '/guides/run-a-gateway' },
          { text: 'Configure', link: '/guides/configure' },
          { text: 'Talk in the terminal', link: '/guides/chat' },
          { text: 'Write a plugin', link: '/guides/write-a-plugin' },
          { text: 'Write an engine', link: '/guides/write-an-engine' },
          { text: 'Write a store', link: '/guides/write-a-store' },
          { text: 'Check a plugin', link: '/guides/check-a-plugin' },
          { text: 'Coming from the AI SDK', link: '/guides/from-ai-sdk' },
          { text: 'Coming from LangChain', link: '/guides/from-langchain' },
          { text: 'Coming from OpenClaw', link: '/guides/from-openclaw' },
          { text: 'Inside OpenClaw', link: '/guides/inside-openclaw' },
          { text: 'Inside pi', link: '/guides/inside-pi' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Hooks', link: '/reference/hooks', collapsed: true, items: hookItems },
          { text: 'Events', link: '/reference/events' },
          { text: 'Options', link: '/reference/options' },
          { text: 'Session records', link: '/reference/session-records' },
          { text: "The gateway's API", link: '/reference/gateway-api' },
          { text: 'Errors', link: '/reference/errors' },
          { text: 'Samples', link: '/reference/samples' },
          {
            text: 'Cases of the contracts',
            collapsed: true,
            items: [
              { text: 'Plugins', link: '/reference/cases/plugins' },
              { text: 'Engines', link: '/reference/cases/engines' },
              { text: 'Stores', link: '/reference/cases/stores' },
              { text: 'Adapters', link: '/reference/cases/adapters' },
              { text: 'Model ports', link: '/reference/cases/model-ports' },
            ],
          },
        ],
      },
      {
        text: 'Explanation',
        items: [
          { text: 'The strata', link: '/explanation/strata' },
          { text: 'The budget', link: '/explanation/budget' },
          { text: 'What a prompt still knows', link: '/explanation/context-quality' },
          { text: 'How fast it is', link: '/explanation/speed' },
          { text: 'What an index of words costs', link: '/explanation/lexical-index' },
          { text: 'What a journal costs', link: '/explanation/storage' },
          { text: 'What goes wrong elsewhere', link: '/explanation/cases' },
        ],
      },
      { text: 'Decisions', collapsed: true, items: decisionItems() },
      { text: 'API', link: '/api/', collapsed: true, items: apiItems() },
    ],
  },
});
