import { type Random, seededRandom } from '@varve/testkit';

const words = [
  'connection',
  'pool',
  'request',
  'handler',
  'retry',
  'backoff',
  'queue',
  'worker',
  'cache',
  'entry',
  'token',
  'window',
  'stream',
  'buffer',
  'schema',
  'column',
  'index',
  'cursor',
  'lease',
  'shard',
  'replica',
  'quota',
  'budget',
  'ledger',
] as const;

const folders = ['billing', 'orders', 'search', 'mailer', 'gateway', 'reports', 'auth', 'storage'] as const;
const files = ['client', 'server', 'exporter', 'importer', 'router', 'parser', 'writer', 'reader', 'config'] as const;

/**
 * A path of the project that the session is about: some thousands, of which those in the front are named much more
 * often than the rest.
 */
export function projectPath(random: Random): string {
  const rank = Math.floor(3_000 ** random.next());
  const [folder, file] = [folders[rank % folders.length], files[Math.floor(rank / folders.length) % files.length]];
  return `services/${folder}/src/${file}-${rank}.ts`;
}

/** A text of hexadecimal digits. */
export function hexText(random: Random, length: number): string {
  return Array.from({ length }, () => random.integer(0, 15).toString(16)).join('');
}

/**
 * What a tool gives back for a path: code, log lines and test reports, with names, paths near it and numbers as such
 * outputs have them.
 *
 * @param options.chars  Exact length.
 */
export function toolOutput(path: string, { seed, chars }: { readonly seed: number; readonly chars: number }): string {
  const random = seededRandom(seed);
  const near = [path, ...Array.from({ length: 5 }, () => projectPath(random))] as const;
  const lines: string[] = [];
  let length = 0;
  while (length < chars) {
    const line = outputLine(random, { number: lines.length + 1, path: random.pick(near) });
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join('\n').slice(0, chars);
}

function outputLine(random: Random, { number, path }: { readonly number: number; readonly path: string }): string {
  const said = (): string => random.pick(words);
  switch (random.integer(0, 5)) {
    case 0:
      return `${String(number).padStart(5)}  export function ${said()}${capital(said())}(${said()}: string): number {`;
    case 1:
      return `${String(number).padStart(5)}    return ${said()}.${said()}(${random.integer(0, 900)}) ?? ${said()};`;
    case 2:
      return `12:${random.integer(10, 59)}:${random.integer(10, 59)} ${said()} ${said()} took ${random.integer(1, 999)} ms in ${path}`;
    case 3:
      return `  ✓ ${said()} the ${said()} when the ${said()} is ${said()} (${random.integer(1, 80)} ms)`;
    case 4:
      return `commit ${hexText(random, 8)} ${said()} the ${said()} of the ${said()}`;
    default:
      return `# the ${said()} of the ${said()} waits for a ${said()} and then for the ${said()}`;
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
