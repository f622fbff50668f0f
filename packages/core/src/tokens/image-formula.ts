import type { Tokens } from '../units.ts';
import type { ImageSize } from './image-size.ts';

/** How a provider bills an image, as data. Sizes are in pixels. */
export type ImageFormula =
  /** An image is scaled down to a long edge, and costs a token for so many pixels, up to a most. */
  | {
      readonly kind: 'area';
      readonly pixelsPerToken: number;
      readonly longEdge: number;
      readonly mostTokens: Tokens;
    }
  /** Scaled into a square of 2,048 and to a short edge of 768; each tile of 512 × 512 costs the same, and all a base. */
  | { readonly kind: 'tiles'; readonly baseTokens: Tokens; readonly tileTokens: Tokens }
  /** Each patch of 32 × 32 costs `tokensPerPatch`; an image of more than `mostPatches` is scaled down to them. */
  | { readonly kind: 'patches'; readonly tokensPerPatch: number; readonly mostPatches?: number | undefined }
  /** One tile for an image of up to 384 × 384, else as many tiles of 768 × 768 as cover it. */
  | { readonly kind: 'crops'; readonly tileTokens: Tokens }
  /** Every image costs the same. */
  | { readonly kind: 'fixed'; readonly tokens: Tokens };

/**
 * The formula by which images count when they are ingested: that of Anthropic's models up to Claude 4.6, which comes
 * between those of the others.
 */
export const defaultImageFormula: ImageFormula = {
  kind: 'area',
  pixelsPerToken: 750,
  longEdge: 1_568,
  mostTokens: 1_600,
};

/** An image whose size is not known counts as a large one, and never as less than this. */
const leastUnknownTokens = 1_000;
const largeImage: ImageSize = { width: 1_568, height: 1_568 };

/**
 * Tokens of one image.
 *
 * @param size  Its size in pixels; `null` where it is not known, as of an image that is a URL.
 */
export function imageTokens(size: ImageSize | null, formula: ImageFormula): Tokens {
  if (size === null) return Math.max(leastUnknownTokens, imageTokens(largeImage, formula));
  switch (formula.kind) {
    case 'area': {
      const { width, height } = scaled(size, Math.min(1, formula.longEdge / Math.max(size.width, size.height)));
      return Math.min(formula.mostTokens, Math.max(1, Math.ceil((width * height) / formula.pixelsPerToken)));
    }
    case 'tiles':
      return formula.baseTokens + formula.tileTokens * tilesOf(size);
    case 'patches':
      return Math.ceil(patchesOf(size, formula.mostPatches) * formula.tokensPerPatch);
    case 'crops':
      return formula.tileTokens * (Math.max(size.width, size.height) <= 384 ? 1 : cover(size, 768));
    case 'fixed':
      return formula.tokens;
  }
}

function tilesOf(size: ImageSize): number {
  const inSquare = scaled(size, Math.min(1, 2_048 / Math.max(size.width, size.height)));
  return cover(scaled(inSquare, Math.min(1, 768 / Math.min(inSquare.width, inSquare.height))), 512);
}

function patchesOf(size: ImageSize, mostPatches: number = Infinity): number {
  return Math.min(mostPatches, cover(size, 32));
}

function cover({ width, height }: ImageSize, edge: number): number {
  return Math.ceil(width / edge) * Math.ceil(height / edge);
}

function scaled({ width, height }: ImageSize, scale: number): ImageSize {
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}
