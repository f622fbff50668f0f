import { wellFormed } from './body-stream.mjs';

/**
 * Takes the notes that a manifest names out of the blocks of a body, each once and in their order: they are text of
 * plugins, and no message gave them.
 *
 * @param {{ role: string, block: object }[]} stable  Blocks up to the last cache mark.
 * @param {{ text: string, leftOut?: object }[] | undefined} notes
 * @returns {{ rest: { role: string, block: object }[], problems: { kind: string, what: string }[] }}
 */
export function setNotesAside(stable, notes = []) {
  const rest = [...stable];
  const problems = [];
  let position = 0;
  for (const { id, text, leftOut } of notes) {
    if (leftOut !== undefined) continue;
    const place = rest.findIndex(
      ({ role, block }, index) =>
        index >= position && role === 'user' && block.type === 'text' && block.text === wellFormed(text),
    );
    if (place === -1) problems.push({ kind: 'note', what: `the note ${id} is not in the body, or not in its order` });
    else {
      rest.splice(place, 1);
      position = place;
    }
  }
  return { rest, problems };
}
