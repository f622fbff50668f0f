import { seededRandom } from '@varve/testkit';
import type { StopPoint } from './run-stops.ts';
import type { Recording } from './script.ts';

/** Between every two changes, and at every byte of every write. */
export function* everyStop({ changes }: Recording): Iterable<StopPoint> {
  for (let change = 0; change <= changes.length; change += 1) {
    yield { name: `before change ${change}`, change, isTwice: true };
    const next = changes[change];
    if (next?.kind !== 'write') continue;
    for (let bytes = 1; bytes < next.bytes.length; bytes += 1) {
      yield { name: `at byte ${bytes} of change ${change}`, change, bytes };
    }
  }
}

/** So many points of all, drawn by chance, in order. */
export function* drawnStops(
  { changes }: Recording,
  {
    count,
    seed,
    loses,
  }: { readonly count: number; readonly seed: number; readonly loses: 'nothing' | 'unsynced' | 'some' },
): Iterable<StopPoint> {
  const random = seededRandom(seed);
  const drawn = Array.from({ length: count }, () => random.integer(0, changes.length)).sort(
    (one, other) => one - other,
  );
  for (const [index, change] of drawn.entries()) {
    const next = changes[change];
    const length = next?.kind === 'write' ? next.bytes.length : 0;
    const bytes = length > 0 && random.chance(0.7) ? random.integer(0, length) : 0;
    const some = { some: seededRandom(seed + index) };
    const name = `point ${index}: byte ${bytes} of change ${change} (${next?.kind ?? 'the end'}), losing ${loses}`;
    yield { name, change, bytes, loses: loses === 'some' ? some : loses };
  }
}

/** One of several parts of the points: those of every so many changes. */
export function* shareOf(
  points: Iterable<StopPoint>,
  { share, of }: { readonly share: number; readonly of: number },
): Iterable<StopPoint> {
  for (const point of points) if (point.change % of === share) yield point;
}

/** Every so many points alone. */
export function* sampled(points: Iterable<StopPoint>, every: number): Iterable<StopPoint> {
  let number = 0;
  for (const point of points) {
    if (number % every === 0) yield point;
    number += 1;
  }
}
