/** Size of an image in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Segments of a JPEG that are looked at: one that has its size later than this has it nowhere. */
const mostSegments = 200;

/**
 * The size of a PNG, JPEG, GIF or WebP, out of the first bytes of its base64; `null` for anything else, a URL too.
 * Decodes a few bytes only, however large the image is.
 *
 * @param data  Base64, with or without `data:…;base64,` before it.
 */
export function imageSize(data: string): ImageSize | null {
  const start = base64Start(data);
  if (start === null) return null;
  const at = (offset: number, count: number): readonly number[] | null => bytesAt(data, { start, offset, count });
  const size = pngSize(at) ?? gifSize(at) ?? webpSize(at) ?? jpegSize(at);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

/** Where the base64 of inlined data begins; `null` for a URL, which holds none. */
export function base64Start(data: string): number | null {
  if (!data.slice(0, 200).includes(':')) return 0;
  const comma = data.startsWith('data:') ? data.indexOf(',') : -1;
  return comma > 0 && data.slice(0, comma).endsWith(';base64') ? comma + 1 : null;
}

type Reader = (offset: number, count: number) => readonly number[] | null;

function pngSize(at: Reader): ImageSize | null {
  const bytes = at(0, 24);
  if (bytes === null || !startsWith(bytes, [0x89, 0x50, 0x4e, 0x47])) return null;
  return { width: number(bytes.slice(16, 20)), height: number(bytes.slice(20, 24)) };
}

function gifSize(at: Reader): ImageSize | null {
  const bytes = at(0, 10);
  if (bytes === null || !startsWith(bytes, [0x47, 0x49, 0x46, 0x38])) return null;
  return { width: little(bytes.slice(6, 8)), height: little(bytes.slice(8, 10)) };
}

function webpSize(at: Reader): ImageSize | null {
  const bytes = at(0, 30);
  if (bytes === null || !startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) || bytes[8] !== 0x57) return null;
  const kind = bytes[15];
  if (kind === 0x58) return { width: little(bytes.slice(24, 27)) + 1, height: little(bytes.slice(27, 30)) + 1 };
  if (kind === 0x4c) {
    const packed = little(bytes.slice(21, 25));
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  return { width: little(bytes.slice(26, 28)) & 0x3fff, height: little(bytes.slice(28, 30)) & 0x3fff };
}

function jpegSize(at: Reader): ImageSize | null {
  let segment = at(0, 2);
  if (segment === null || !startsWith(segment, [0xff, 0xd8])) return null;
  let offset = 2;
  for (let seen = 0; seen < mostSegments; seen += 1) {
    segment = at(offset, 9);
    const marker = segment?.[1] ?? 0;
    if (segment === null || segment[0] !== 0xff) return null;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: number(segment.slice(5, 7)), width: number(segment.slice(7, 9)) };
    }
    offset += 2 + number(segment.slice(2, 4));
  }
  return null;
}

/** Some bytes of base64, decoded; `null` where there are fewer, or something else. */
function bytesAt(
  data: string,
  { start, offset, count }: { readonly start: number; readonly offset: number; readonly count: number },
): readonly number[] | null {
  const first = Math.floor(offset / 3);
  const last = Math.ceil((offset + count) / 3);
  try {
    const text = atob(data.slice(start + first * 4, start + last * 4));
    const bytes = Array.from(text.slice(offset - first * 3, offset - first * 3 + count), (one) => one.charCodeAt(0));
    return bytes.length === count ? bytes : null;
  } catch {
    return null;
  }
}

function startsWith(bytes: readonly number[], signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function number(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

function little(bytes: readonly number[]): number {
  return number([...bytes].reverse());
}
