/**
 * A name without blanks, brackets and signs, so that it can stand among other words; half a character as `\uD800`. Two
 * names never become the same.
 */
export function encodeName(name: string): string {
  return name.replace(/[^\p{L}\p{N}:_.@+#/-]/gu, (sign) =>
    /\p{Surrogate}/u.test(sign)
      ? `\\u${sign.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(sign).replace(/[!'()*~]/g, percent),
  );
}

function percent(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The name behind an encoded one; `null` when there is none. */
export function decodeName(encoded: string): string | null {
  try {
    // Every second piece is the number of half a character.
    const pieces = encoded.split(/\\u(D[89A-F][0-9A-F]{2})/);
    return pieces
      .map((piece, index) => (index % 2 === 0 ? decodeURIComponent(piece) : String.fromCharCode(parseInt(piece, 16))))
      .join('');
  } catch {
    return null;
  }
}
