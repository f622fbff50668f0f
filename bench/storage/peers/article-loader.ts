import { readFileSync } from 'node:fs';

/** How articles on agents load a transcript: the whole file as one string, split into lines, and each one parsed. */
export function loadWholeTranscript(path: string): readonly unknown[] {
  const values: unknown[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    try {
      values.push(JSON.parse(line));
    } catch {
      // A line that cannot be read is skipped.
    }
  }
  return values;
}
