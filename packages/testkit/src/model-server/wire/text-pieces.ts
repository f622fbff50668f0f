/** Cuts a text into pieces of so many characters; none is cut in two. No pieces for the empty text. */
export function textPieces(text: string, size: number): readonly string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(''));
}
