import type { PictureRequest } from '../../src/inspector/session-report.ts';
import { layerColours, layerNames, markNames, pictureMarks } from '../model/picture-layers.ts';

/** Room below the columns for marks, in pixels. */
const marksHeight = 18;

/** What is drawn. */
export interface StrataDrawing {
  readonly width: number;
  readonly height: number;
  /** Number of the request that is looked at. */
  readonly chosen: number;
}

/** Tokens that are as high as the picture. A budget far above all requests would press them to the floor. */
export function highestOf(requests: readonly PictureRequest[]): number {
  const most = requests.reduce((tokens, request) => Math.max(tokens, request.tokens), 1);
  const budget = requests.reduce((tokens, request) => Math.max(tokens, request.budget ?? 0), 0);
  return budget > 2 * most ? most : Math.max(most, budget);
}

/** Draws a column a request; of more requests than there are pixels, the fullest of those that share one. */
export function drawStrata(
  canvas: HTMLCanvasElement,
  requests: readonly PictureRequest[],
  { width, height, chosen }: StrataDrawing,
): void {
  const context = canvas.getContext('2d');
  if (context === null || width === 0) return;
  const ratio = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const floor = height - marksHeight;
  const scale = (floor - 6) / highestOf(requests);
  const count = Math.min(requests.length, Math.max(1, Math.floor(width / 2)));
  const step = width / Math.max(1, count);
  const gap = step > 6 ? 1 : step > 3 ? 0.6 : 0;
  for (let index = 0; index < count; index += 1) {
    const shared = requests.slice(
      Math.floor((index * requests.length) / count),
      Math.max(Math.floor(((index + 1) * requests.length) / count), Math.floor((index * requests.length) / count) + 1),
    );
    const place = { x: index * step, width: Math.max(step - gap, 1), floor, scale };
    drawColumn(context, fullestOf(shared), place);
    drawMark(context, shared, place);
  }
  drawBudget(context, requests, { width, floor, scale });
  drawChosen(context, { x: ((chosen - 1) / Math.max(1, requests.length)) * width, step, floor });
}

interface Place {
  readonly x: number;
  readonly width: number;
  readonly floor: number;
  readonly scale: number;
}

function fullestOf(requests: readonly PictureRequest[]): PictureRequest | undefined {
  let fullest = requests[0];
  for (const request of requests) if (request.tokens > (fullest?.tokens ?? 0)) fullest = request;
  return fullest;
}

function drawColumn(
  context: CanvasRenderingContext2D,
  request: PictureRequest | undefined,
  { x, width, floor, scale }: Place,
): void {
  let top = floor;
  for (const layer of layerNames) {
    const height = (request?.layers[layer] ?? 0) * scale;
    top -= height;
    context.fillStyle = layerColours[layer];
    if (height > 0.1) context.fillRect(x, top, width, height);
  }
}

/** The mark that matters most. */
function drawMark(
  context: CanvasRenderingContext2D,
  shared: readonly PictureRequest[],
  { x, width, floor }: Place,
): void {
  const name = markNames.find((one) => shared.some(({ marks }) => marks.includes(one)));
  if (name === undefined) return;
  const { colour } = pictureMarks[name];
  const [middle, top] = [x + width / 2, floor + 4];
  const half = Math.min(5, Math.max(2, width / 2 + 1));
  context.fillStyle = colour;
  context.beginPath();
  if (name === 'cut') {
    context.moveTo(middle - half, top);
    context.lineTo(middle + half, top);
    context.lineTo(middle, top + 10);
  } else if (name === 'model' || name === 'undo') {
    context.rect(middle - half + 1, top + 2, 2 * half - 2, 6);
  } else {
    context.moveTo(middle - half, top + 10);
    context.lineTo(middle + half, top + 10);
    context.lineTo(middle, top);
  }
  context.closePath();
  if (name !== 'prune') context.fill();
  else {
    context.strokeStyle = colour;
    context.lineWidth = 1.2;
    context.stroke();
  }
}

/** A line at each budget, over the requests that had it. */
function drawBudget(
  context: CanvasRenderingContext2D,
  requests: readonly PictureRequest[],
  { width, floor, scale }: Pick<Place, 'width' | 'floor' | 'scale'>,
): void {
  context.strokeStyle = 'rgb(255 255 255 / 0.8)';
  context.lineWidth = 1;
  context.setLineDash([6, 5]);
  context.beginPath();
  let from = 0;
  for (let index = 1; index <= requests.length; index += 1) {
    const budget = requests[from]?.budget ?? null;
    if (index < requests.length && requests[index]?.budget === budget) continue;
    const y = Math.round(floor - (budget ?? 0) * scale) + 0.5;
    if (budget !== null && y > 0) {
      context.moveTo((from / requests.length) * width, y);
      context.lineTo((index / requests.length) * width, y);
    }
    from = index;
  }
  context.stroke();
  context.setLineDash([]);
}

function drawChosen(
  context: CanvasRenderingContext2D,
  { x, step, floor }: { readonly x: number; readonly step: number; readonly floor: number },
): void {
  const width = Math.max(step, 3);
  context.fillStyle = 'rgb(255 255 255 / 0.25)';
  context.fillRect(x, 0, width, floor);
  context.strokeStyle = '#ffffff';
  context.lineWidth = 1.5;
  context.strokeRect(x + 0.5, 0.75, Math.max(width - 1, 2), floor - 1);
}
