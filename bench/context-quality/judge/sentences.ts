/** Lower case, white space as one blank: how texts are compared. */
export function normalized(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** Lines that look like code or lists, and short ones, are sentences as they are. */
const isWholeLine = /[{}();=<>|]|^\s*[-*#+@$]|^\s*\d+[:→|]/;
const sentenceEnd = /(?<=[.!?。！？…])(?:\s+|(?=[\u3040-\u9fff\uac00-\ud7af]))/;

/** Sentences of prose, lines of everything else. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(/\n+/).flatMap((given) => {
    const line = given.trim();
    if (line === '') return [];
    if (isWholeLine.test(line) || line.length < 60) return [line];
    return line
      .split(sentenceEnd)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== '');
  });
}
