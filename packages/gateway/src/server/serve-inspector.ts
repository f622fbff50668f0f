import type { FastifyInstance } from 'fastify';
import { type InspectorFiles, readInspectorFiles } from '../inspector/inspector-files.ts';
import { requestError } from '../problem/problem.ts';

/** The page may run its own script and ask its own gateway, and nothing else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = [
  '<!doctype html>',
  '<html lang="en">',
  '<head>',
  '<meta charset="utf-8">',
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  '<meta name="color-scheme" content="light dark">',
  '<link rel="icon" href="data:,">',
  '<link rel="stylesheet" href="/inspector.css">',
  '<title>Varve inspector</title>',
  '</head>',
  '<body>',
  '<div id="inspector"></div>',
  '<noscript>This page shows sessions with a script of its own. Please allow scripts for it.</noscript>',
  '<script src="/inspector.js"></script>',
  '</body>',
  '</html>',
  '',
].join('\n');

/** Answers with the page of the inspector, to anybody: it holds nothing of any session, and asks with a token. */
export function serveInspector(app: FastifyInstance): void {
  let files: Promise<InspectorFiles> | null = null;
  const read = (): Promise<InspectorFiles> => {
    files ??= readInspectorFiles().catch((error: unknown) => {
      files = null;
      const why = error instanceof Error ? error.message : String(error);
      throw requestError(why, { status: 404, fix: 'In a clone, run pnpm build; an installed package has it.' });
    });
    return files;
  };
  const serve = (url: string, type: string, content: () => Promise<string>): void => {
    app.get(url, async (_request, reply) => {
      const body = await content();
      return reply.header('content-security-policy', policy).type(`${type}; charset=utf-8`).send(body);
    });
  };
  serve('/', 'text/html', async () => (await read()) && page);
  serve('/inspector.js', 'text/javascript', async () => (await read()).script);
  serve('/inspector.css', 'text/css', async () => (await read()).style);
}
