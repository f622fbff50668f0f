import type { FilePart, ImagePart, JsonValue, ReasoningPart, TextPart } from '@varve/core';
import { jsonOf } from '../json-of.ts';
import { mediaSource, notShown } from '../media-source.ts';
import { type Fields, fieldsOf, keepData, keptData } from './kept-data.ts';
import type { LangChainOutBlock } from './messages.ts';

/** The parts that blocks of content are. A plain text is one part without anything kept. */
export function partsOfContent(
  content: unknown,
  path: string,
): readonly (TextPart | ReasoningPart | ImagePart | FilePart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown, index) => {
    if (typeof block === 'string') return { type: 'text', text: block };
    return partOfBlock(fieldsOf(jsonOf(block, `${path}.${index}`)));
  });
}

function partOfBlock(block: Fields): TextPart | ReasoningPart | ImagePart | FilePart {
  const { type, text, thinking, reasoning } = block;
  const kept = keepData({ block });
  if (type === 'text' && typeof text === 'string')
    return { type, text, ...(isPlain(block, ['type', 'text']) ? {} : kept) };
  const thought = type === 'thinking' ? thinking : reasoning;
  if ((type === 'thinking' || type === 'reasoning') && typeof thought === 'string')
    return { type: 'reasoning', text: thought, ...kept };
  return mediaOf(block) ?? { type: 'text', text: '', ...kept };
}

function isPlain(block: Fields, names: readonly string[]): boolean {
  return Object.keys(block).every((name) => names.includes(name));
}

/** Images and files, in the forms that LangChain has had for them. */
function mediaOf(block: Fields): ImagePart | FilePart | null {
  const { type, image_url, data, url, filename, mimeType, mime_type } = block;
  const mediaType = [mimeType, mime_type].find((one) => typeof one === 'string');
  const { url: imageUrl } = fieldsOf(image_url);
  const address = typeof image_url === 'string' ? image_url : imageUrl;
  const media = [address, data, url].find((one) => typeof one === 'string');
  if (typeof media !== 'string') return null;
  const kind = typeof mediaType === 'string' ? mediaType : undefined;
  const kept = keepData({ block });
  const isImage = type === 'image_url' || type === 'image' || kind?.startsWith('image/') === true;
  if (isImage) return { type: 'image', image: media, ...(kind === undefined ? {} : { mediaType: kind }), ...kept };
  if (type !== 'file' && type !== 'audio' && type !== 'video') return null;
  const name = typeof filename === 'string' ? { filename } : {};
  return { type: 'file', data: media, mediaType: kind ?? 'application/octet-stream', ...name, ...kept };
}

/** The blocks of parts; a part that was made of a block, and says the same, is that block. */
export function blocksOfParts(
  parts: readonly (TextPart | ReasoningPart | ImagePart | FilePart)[],
): readonly LangChainOutBlock[] {
  return parts.flatMap((part): readonly LangChainOutBlock[] => {
    const { block } = keptData(part);
    if (block !== undefined && isSame(partOfBlock(block), part)) return [block as LangChainOutBlock];
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    return part.type === 'reasoning' ? [] : [mediaBlock(part)];
  });
}

function isSame(one: TextPart | ReasoningPart | ImagePart | FilePart, other: typeof one): boolean {
  return saidBy(one) === saidBy(other);
}

function saidBy({ providerOptions: _options, ...said }: TextPart | ReasoningPart | ImagePart | FilePart): string {
  return JSON.stringify(said);
}

function mediaBlock(part: ImagePart | FilePart): LangChainOutBlock {
  const isImage = part.type === 'image';
  const source = mediaSource(isImage ? part.image : part.data, part.mediaType);
  if (source.type === 'base64' && source.data === '') {
    return { type: 'text', text: notShown(isImage ? 'image' : 'file', part.mediaType) };
  }
  const mime_type = part.mediaType ?? (source.type === 'base64' ? source.mediaType : undefined);
  const kind = mime_type === undefined ? {} : { mime_type };
  if (isImage) {
    const url = source.type === 'url' ? source.url : `data:${mime_type ?? 'image/png'};base64,${source.data}`;
    return { type: 'image_url', image_url: { url } };
  }
  const name: JsonValue = part.filename ?? 'file';
  if (source.type === 'url')
    return { type: 'file', source_type: 'url', url: source.url, ...kind, metadata: { filename: name } };
  return { type: 'file', source_type: 'base64', data: source.data, ...kind, metadata: { filename: name } };
}
