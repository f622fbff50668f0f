import { linesOf } from '@varve/core';

/** The sections of a summary, in order. Prose is written under these names in every language. */
export const sectionNames = [
  'Goal',
  'Constraints and preferences',
  'Decisions',
  'Done',
  'In progress',
  'Blocked',
  'Open questions',
  'Next step',
  'Files read',
  'Files written',
] as const;

/** Name of a section. */
type SectionName = (typeof sectionNames)[number];

/** Lines of prose under a heading; those before the first one have none. */
export interface Section {
  readonly name: SectionName | null;
  readonly lines: readonly string[];
}

const nameOf: ReadonlyMap<string, SectionName> = new Map(sectionNames.map((name) => [name.toLowerCase(), name]));

/** Reads a model's prose. What looks like another heading is a line like any other, without its marks. */
export function sectionsOf(prose: string): readonly Section[] {
  const sections: { name: SectionName | null; lines: string[] }[] = [{ name: null, lines: [] }];
  for (const line of linesOf(prose)) {
    const name = nameOf.get(line.replace(/^#{1,6}\s*|[*_]{2}|\s*[:：]\s*(?:\*\*)?$/g, '').toLowerCase());
    if (name !== undefined) sections.push({ name, lines: [] });
    else sections.at(-1)?.lines.push(line.replace(/^(?:#{1,6}\s+|`{3,}\w*$)/, ''));
  }
  const filled = sections.map(({ name, lines }) => ({ name, lines: lines.filter((line) => line !== '') }));
  return filled.filter(({ lines }) => lines.length > 0);
}

/** Sections as text. A name that stands twice keeps both. */
export function renderSections(sections: readonly Section[]): string {
  return sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ name, lines }) => (name === null ? lines : [`### ${name}`, ...lines]).join('\n'))
    .join('\n');
}

/** Prose in its two parts: what has ended, and the beginning of a turn that went on behind the compaction. */
export interface ProseParts {
  readonly history: string | null;
  /** `request` is the seq of the message that the turn answers. */
  readonly turn: { readonly request: number; readonly text: string } | null;
}

const turnHeading = /^### So far in the turn of request #(\d+)$/;

/** Puts the two parts together. */
export function joinParts({ history, turn }: ProseParts): string {
  const lines = turn === null ? [] : [`### So far in the turn of request #${turn.request}`, turn.text];
  return [...(history === null ? [] : [history]), ...lines].join('\n');
}

/** Takes prose apart again. */
export function partProse(prose: string | null): ProseParts {
  if (prose === null) return { history: null, turn: null };
  const lines = prose.split('\n');
  const at = lines.findIndex((line) => turnHeading.test(line));
  if (at === -1) return { history: prose, turn: null };
  const history = lines.slice(0, at).join('\n');
  const request = Number(turnHeading.exec(lines[at] ?? '')?.[1]);
  return { history: history === '' ? null : history, turn: { request, text: lines.slice(at + 1).join('\n') } };
}
