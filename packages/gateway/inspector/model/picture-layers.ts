import type { PictureLayer, PictureMark } from '../../src/inspector/session-report.ts';

/**
 * The layers from below, each with its colour: the ones of a lake bed, one that shines for what was looked up, and the
 * water above. Neighbours differ in hue and in brightness. The playground of the documentation has the same.
 */
export const layerColours: Readonly<Record<PictureLayer, string>> = {
  system: '#8593a8',
  summary: '#9a5a2c',
  history: '#d9b478',
  notes: '#3f9e8f',
  live: '#a9d3f2',
  volatile: '#d0678f',
};

export const layerNames = Object.keys(layerColours) as readonly PictureLayer[];

/** What is drawn below a request, with its colour and what it stands for: those that matter most come first. */
export const pictureMarks: Readonly<
  Record<PictureMark, { readonly sign: string; readonly colour: string; readonly words: string }>
> = {
  failed: { sign: '×', colour: '#ff5d5d', words: 'failed' },
  compaction: { sign: '▲', colour: '#ff8a65', words: 'compaction' },
  cut: { sign: '▼', colour: '#ffd54f', words: 'cut to fit' },
  prune: { sign: '△', colour: '#8fd4c7', words: 'pruned' },
  undo: { sign: '↶', colour: '#c9b2ff', words: 'undone or moved' },
  model: { sign: '◇', colour: '#ffffff', words: 'another model' },
};

export const markNames = Object.keys(pictureMarks) as readonly PictureMark[];
