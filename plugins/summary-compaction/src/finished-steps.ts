import type { Section } from './prose-sections.ts';
import { coverage, significantWords } from './significant-words.ts';

/** A step counts as finished when this much of it stands in one sentence that tells of an end. */
const leastCoverage = 0.6;

/** Sections whose lines are still to be done. */
const open: ReadonlySet<string> = new Set(['In progress', 'Blocked', 'Next step']);

const ended = new RegExp(
  [
    '\\b(?:done|finished|completed?|fixed|merged|released|deployed|shipped|passe[sd]|implemented|renamed|removed|added',
    '|updated|written|created|moved|deleted|resolved|erledigt|fertig|abgeschlossen|terminé|terminado|hecho|listo)\\b',
    '|完成|完毕|已经?[修合发部删加改写更建]|修好|終わり|完了|しました|완료|했습니다|готово|сделан|завершен',
  ].join(''),
  'iu',
);

const notYet = new RegExp(
  [
    "\\b(?:not|never|cannot|unless|before|until|todo|will|would|should|must|to be|still|yet)\\b|n['’]t\\b",
    '|未|没|沒|还|尚|ない|まだ|않|아직|\\b(?:nicht|noch|kein\\w*|pas|aún|todavía|не|ещё|еще)\\b',
  ].join(''),
  'iu',
);

/**
 * Takes steps out that are finished: those that the prose itself lists as done, and those of which the agent says so in
 * what follows.
 *
 * @param following  What the agent says behind the range, and which stays in view.
 */
export function withoutFinished(sections: readonly Section[], following: readonly string[]): readonly Section[] {
  const done = sections.flatMap(({ name, lines }) => (name === 'Done' ? lines : []));
  const told = following.flatMap(sentencesOf).filter((sentence) => ended.test(sentence) && !notYet.test(sentence));
  const isFinished = (line: string): boolean =>
    significantWords(line).size >= 2 && [...done, ...told].some((text) => coverage(line, text) >= leastCoverage);
  return sections
    .map((section) =>
      open.has(section.name ?? '') ? { ...section, lines: section.lines.filter((line) => !isFinished(line)) } : section,
    )
    .filter(({ lines }) => lines.length > 0);
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?;])\s+|(?<=[。！？；])|\n/);
}
