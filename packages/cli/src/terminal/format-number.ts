/** A number of tokens in at most five characters: `950`, `1.2k`, `32k`, `140k`, `1.4M`. */
export function shortNumber(value: number): string {
  const rounded = Math.round(value);
  if (Math.abs(rounded) < 1_000) return String(rounded);
  const [amount, unit] = Math.abs(rounded) < 999_500 ? [rounded / 1_000, 'k'] : [rounded / 1_000_000, 'M'];
  const text = Math.abs(amount) < 99.95 ? amount.toFixed(1).replace(/\.0$/, '') : String(Math.round(amount));
  return `${text}${unit}`;
}

/** A number with commas between the thousands, whatever the locale of the machine. */
export function longNumber(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** A share as percent with one decimal: `97.7 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** A number of bytes: `139 MB`. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

/** `1 request`, `2 requests`. */
export function counted(count: number, noun: string): string {
  return `${longNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number of bytes, whatever its size: `812 bytes`, `14 kB`, `1.3 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes / 1024, 0];
  while (value >= 1023.5 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
