import { editDistance } from './edit-distance.ts';

/** A name that is longer is not meant to be one. */
const longestName = 64;

/** The names that may have been meant, at most three, the nearest first; whatever the case, dashes and underscores. */
export function nearNames(written: string, known: readonly string[]): readonly string[] {
  const wanted = plain(written.slice(0, longestName));
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const measured = known.map((name) => ({ name, distance: editDistance(wanted, plain(name)) }));
  // A name that differs in case alone is the one that was meant.
  const isSame = measured.some(({ distance }) => distance === 0);
  return measured
    .filter(({ distance }) => distance <= (isSame ? 0 : most))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** `Did you mean "x" or "y"?`, or a text that stands for it where nothing is near. */
export function didYouMean(written: string, known: readonly string[], otherwise: string): string {
  const near = nearNames(written, known);
  return near.length === 0 ? otherwise : `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

function plain(name: string): string {
  return name.trim().toLowerCase().replaceAll(/[-_ ]/g, '');
}
