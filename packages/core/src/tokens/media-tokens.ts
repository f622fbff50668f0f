import { type FilePart, type ImagePart, type Message, type MessagePart, partsOfMessage } from '../message.ts';
import type { Tokens } from '../units.ts';
import { type ImageFormula, imageTokens } from './image-formula.ts';
import { base64Start, imageSize } from './image-size.ts';

/** One dense page of a PDF: the upper end of the 1,500 to 3,000 tokens a page that Anthropic documents. */
const tokensPerPage = 3_000;

/** A page of a PDF is taken to be as large as this, and a request to hold no more pages than providers accept. */
const bytesPerPage = 100_000;
const mostPages = 100;

/** Sound and moving pictures: Gemini bills 32 tokens a second, which is some 13 kB of compressed sound. */
const bytesPerSoundToken = 400;

/** Plain text: rather too many tokens than too few. */
const bytesPerTextToken = 3;

/** What a message shows that is no text: its own images and files, and those in its tools' results. */
export function mediaOfMessage(message: Message): readonly (ImagePart | FilePart)[] {
  return typeof message.content === 'string' ? [] : partsOfMessage(message).flatMap(mediaOfPart);
}

function mediaOfPart(part: MessagePart): readonly (ImagePart | FilePart)[] {
  if (part.type === 'image' || part.type === 'file') return [part];
  return part.type === 'tool-result' && part.output.type === 'content' ? part.output.value.flatMap(mediaOfPart) : [];
}

/** True for what counts by an image formula. */
export function isImage(part: ImagePart | FilePart): boolean {
  return part.type === 'image' || part.mediaType.startsWith('image/');
}

/** Tokens of an image by the formula, or of another file by its size; a file that is a URL counts as one page. */
export function mediaTokens(part: ImagePart | FilePart, formula: ImageFormula): Tokens {
  const data = part.type === 'image' ? part.image : part.data;
  if (part.type === 'image' || isImage(part)) return imageTokens(imageSize(data), formula);
  const start = base64Start(data);
  if (start === null) return tokensPerPage;
  const bytes = ((data.length - start) * 3) / 4;
  if (/^(audio|video)\//.test(part.mediaType)) return Math.ceil(bytes / bytesPerSoundToken);
  if (/^text\/|json|xml/.test(part.mediaType)) return Math.ceil(bytes / bytesPerTextToken);
  return tokensPerPage * Math.min(mostPages, Math.max(1, Math.ceil(bytes / bytesPerPage)));
}
