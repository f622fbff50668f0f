/**
 * The layers from below, each with its colour: the ones of a lake bed, one that shines for what was looked up, and the
 * water above. Neighbours differ in hue and in brightness.
 */
export const layerColours = {
  system: '#8593a8',
  summary: '#9a5a2c',
  history: '#d9b478',
  notes: '#3f9e8f',
  live: '#a9d3f2',
  volatile: '#d0678f',
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

/** What a row of a replay says about its layers. */
export interface StrataRow {
  readonly layers: Readonly<Record<LayerName, number>>;
}

/** How a picture is laid out. */
export interface StrataPicture {
  /** Columns that have room side by side. */
  readonly columns: number;
  /** Tokens that are as high as the picture. */
  readonly mostTokens: number;
  /** @default pictureSize */
  readonly size?: { readonly width: number; readonly height: number };
  /** Between two columns. @default 0.8 */
  readonly gap?: number;
}

/** The blocks of a picture: a column a request, its layers one on the other. */
export function strataBlocks(
  rows: readonly StrataRow[],
  { columns, mostTokens, size = pictureSize, gap = 0.8 }: StrataPicture,
): readonly StrataBlock[] {
  const step = size.width / Math.max(1, columns);
  const scale = size.height / Math.max(1, mostTokens);
  return rows.flatMap(({ layers }, column) => {
    let top = size.height;
    return layerNames.flatMap((layer) => {
      const height = layers[layer] * scale;
      top -= height;
      return height < 0.1 ? [] : [{ layer, x: column * step, y: top, width: Math.max(step - gap, gap), height }];
    });
  });
}
