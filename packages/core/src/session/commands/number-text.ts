/** A number as people read it: `12 300`. */
export function numberText(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}

const barCells = 20;

/** How much of something is used, as a bar of 20 cells: `[████████------------] 40 %`. */
export function barText(used: number, most: number): string {
  const share = Number.isFinite(most) && most > 0 ? used / most : 0;
  const full = Math.min(barCells, Math.round(share * barCells));
  return `[${'█'.repeat(full)}${'-'.repeat(barCells - full)}] ${Math.round(share * 100)} %`;
}
