import type { LayerItem } from '@varve/core';
import { cleanText, oneCleanLine } from './clean-text.ts';
import { asItems, leastChars } from './memory-text.ts';
import type { WorkspaceFile } from './read-workspace-file.ts';
import { shortenFile } from './shorten-file.ts';

/** Names that a listing shows at most, and their length. */
const mostNames = 100;
const mostNameChars = 100;

/** Files of the workspace as items of a layer, in their order. */
export function workspaceItems(
  files: readonly WorkspaceFile[],
  { fileChars, totalChars }: { readonly fileChars: number; readonly totalChars: number },
): readonly LayerItem[] {
  const items: LayerItem[] = [];
  let left = totalChars;
  for (const { path, text: whole, hash } of files) {
    const [name, cleaned] = [oneCleanLine(path), cleanText(whole)];
    if (cleaned === '') continue;
    const limit = Math.min(fileChars, left);
    if (limit < leastChars) break;
    const text = shortenFile(cleaned, { path: name, limit });
    left -= text.length;
    items.push(...asItems(`## ${name}`, { text, source: { path, hash } }));
  }
  return items;
}

/** What else lies in the workspace, by name. */
export function listingItem(names: readonly string[], shown: readonly string[]): readonly LayerItem[] {
  const others = names.filter((name) => !shown.includes(name) && name.length <= mostNameChars);
  if (others.length === 0) return [];
  const more = others.length > mostNames ? `\n… and ${others.length - mostNames} more` : '';
  const lines = others.slice(0, mostNames).map((name) => `- ${oneCleanLine(name)}`);
  return [{ text: `## Also in the workspace\n\n${lines.join('\n')}${more}` }];
}
