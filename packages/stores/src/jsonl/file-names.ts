import { createHash } from 'node:crypto';

/** File systems allow 255 bytes; the rest is for endings such as `.jsonl.quarantine`. */
const longestName = 160;

/** How much of a name that is too long stays readable. */
const readablePrefix = 64;

/** Names of devices, which Windows takes for files with any ending. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Turns an opaque id into the name of a file or folder, without an ending.
 *
 * Lower-case letters, digits, `-` and `_` stay; every other UTF-16 unit becomes `%xx` or `%uxxxx`, so that no name has a
 * dot or slash and no two ids share one, even where file systems ignore case or normalise Unicode. A name that would be
 * too long ends with `~` and the SHA-256 of the id; the empty id is `~`.
 */
export function fileNameOf(id: string): string {
  if (id === '') return '~';
  const name = id.replace(/[^a-z0-9_-]/g, escapeUnit);
  if (deviceName.test(name)) return escapeUnit(name) + name.slice(1);
  if (name.length <= longestName) return name;
  // Hashed as UTF-16: UTF-8 makes all lone surrogates the same.
  const hash = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex');
  return `${name.slice(0, readablePrefix)}~${hash}`;
}

/** The id that {@link fileNameOf} gave this name; `null` for a name that holds a hash, or none of ours. */
export function idOfFileName(name: string): string | null {
  if (name === '~') return '';
  const id = name.replace(/%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/g, (_match, long: string | undefined, short: string) =>
    String.fromCharCode(Number.parseInt(long ?? short, 16)),
  );
  return fileNameOf(id) === name ? id : null;
}

function escapeUnit(text: string): string {
  const unit = text.charCodeAt(0);
  return unit < 0x80 ? `%${unit.toString(16).padStart(2, '0')}` : `%u${unit.toString(16).padStart(4, '0')}`;
}
