import { toWellFormed } from './well-formed.ts';

/** Where the bytes of an image or a file are. */
export type MediaSource =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'base64'; readonly mediaType: string | undefined; readonly data: string };

/** Kinds of images that all providers take, with how their base64 data begins. */
const imageKinds: readonly (readonly [mediaType: string, beginning: string])[] = [
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
];

/** Reads a URL, a data URL or plain base64. What is not base64 is no data: one broken image would fail every call. */
export function mediaSource(data: string, mediaType: string | undefined): MediaSource {
  if (/^https?:\/\//i.test(data)) return { type: 'url', url: toWellFormed(data) };
  const inline = /^data:([^;,]*)[^,]*;base64,/i.exec(data);
  if (inline === null) return { type: 'base64', mediaType, data: plainBase64(data) };
  return { type: 'base64', mediaType: inline[1] || mediaType, data: plainBase64(data.slice(inline[0].length)) };
}

function plainBase64(data: string): string {
  const joined = data.replace(/\s+/g, '');
  return /^[A-Za-z0-9+/]*={0,2}$/.test(joined) ? joined : '';
}

/** The kind of an image, as named or by how its data begins; nothing for a kind that providers do not take. */
export function imageKind(source: Extract<MediaSource, { type: 'base64' }>): string | undefined {
  if (source.data === '') return undefined;
  const named = source.mediaType?.toLowerCase().replace('image/jpg', 'image/jpeg');
  if (imageKinds.some(([kind]) => kind === named)) return named;
  return imageKinds.find(([, beginning]) => source.data.startsWith(beginning))?.[0];
}

/** The text behind base64, or `null` when it is none. */
export function textOfBase64(data: string): string | null {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** What is said in the place of something that cannot be sent. */
export function notShown(what: string, mediaType: string | undefined): string {
  return toWellFormed(`[${what} (${mediaType ?? 'unknown kind'}) is not shown]`);
}
