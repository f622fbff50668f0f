import type { RequestRow } from '../../../../packages/cli/src/replay/request-row.ts';

/** The layers from below, each with its colour: the ones of a lake bed, and one that shines for what was looked up. */
export const layerColours = {
  system: '#5c6b80',
  summary: '#8a6136',
  history: '#d9b478',
  notes: '#3f9e8f',
  live: '#f0dfba',
  volatile: '#b0563f',
} as const;

export type LayerName = keyof typeof layerColours;

export const layerNames = Object.keys(layerColours) as readonly LayerName[];

/** One rectangle of the picture, in its own units. */
export interface StrataBlock {
  readonly layer: LayerName;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Size of the picture, in units of its own: it is stretched to the page. */
export const pictureSize = { width: 960, height: 320 } as const;

/** The blocks of the picture: a column a request, `columns` of them side by side, `mostTokens` as high as the picture. */
export function strataBlocks(
  rows: readonly RequestRow[],
  { columns, mostTokens }: { readonly columns: number; readonly mostTokens: number },
): readonly StrataBlock[] {
  const step = pictureSize.width / Math.max(1, columns);
  const scale = pictureSize.height / Math.max(1, mostTokens);
  return rows.flatMap(({ layers }, column) => {
    let top = pictureSize.height;
    return layerNames.flatMap((layer) => {
      const height = layers[layer] * scale;
      top -= height;
      return height < 0.1 ? [] : [{ layer, x: column * step, y: top, width: Math.max(step - 0.8, 0.8), height }];
    });
  });
}
