import { createHash } from 'node:crypto';
import { readInspectorFiles } from './inspector-files.ts';
import type { SessionReport } from './session-report.ts';

/**
 * A report as one file of HTML that asks nobody for anything: script, styles and data are in it. What was said in the
 * conversation is data of that page, and never part of its markup.
 *
 * @throws VARVE_STORE_IO  when the page of the inspector was not built.
 */
export async function reportPage(report: SessionReport): Promise<string> {
  const { script, style } = await readInspectorFiles();
  // An end tag in it would end it early.
  const code = script.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<link rel="icon" href="data:,">',
    `<title>${escapedText(report.title)} · Varve</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<div id="inspector"></div>',
    '<noscript>This page shows a conversation with a script of its own. Please allow scripts for it.</noscript>',
    `<script type="application/json" id="report">${jsonInHtml(report)}</script>`,
    `<script>${code}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** JSON that ends no script and begins no comment, whatever is in it. */
function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function escapedText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
