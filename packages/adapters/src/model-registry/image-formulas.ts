import type { ImageFormula } from '@varve/core';

/**
 * Claude up to 4.6: a token for some 750 pixels, of at most 1,568 on the long edge and about 1,600 tokens.
 * https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const claudeImages: ImageFormula = { kind: 'area', pixelsPerToken: 750, longEdge: 1_568, mostTokens: 1_600 };

/** Claude 4.7 and later, which see up to 2,576 pixels and 4,784 tokens. Same page. */
export const largeClaudeImages: ImageFormula = {
  kind: 'area',
  pixelsPerToken: 750,
  longEdge: 2_576,
  mostTokens: 4_784,
};

/** OpenAI's tiles of 512 × 512, at high detail. https://platform.openai.com/docs/guides/images-vision */
export function openaiTiles(baseTokens: number, tileTokens: number): ImageFormula {
  return { kind: 'tiles', baseTokens, tileTokens };
}

/** OpenAI's patches of 32 × 32. Same page; for the models after GPT-5.3, measured by the data set below. */
export function openaiPatches(tokensPerPatch: number, mostPatches?: number): ImageFormula {
  return { kind: 'patches', tokensPerPatch, mostPatches };
}

/** Gemini up to 2.5: 258 tokens a tile. https://ai.google.dev/gemini-api/docs/tokens */
export const geminiTiles: ImageFormula = { kind: 'crops', tileTokens: 258 };

/**
 * Gemini 3: the same for every image, at the resolution that is used when none is asked for; 1,065 to 1,101 tokens as
 * measured by https://huggingface.co/datasets/JOHNISKING/image-token-cost
 */
export const geminiFixed: ImageFormula = { kind: 'fixed', tokens: 1_120 };
