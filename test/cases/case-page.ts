import type { CaseFamily, CaseRow } from './case-row.ts';

const begin = '<!-- cases: begin -->';
const end = '<!-- cases: end -->';

/**
 * A page with its tables as the cases are now; what is around them stays.
 *
 * @throws Error  when the page has no place for them.
 */
export function fillPage(page: string, families: readonly CaseFamily[]): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The page has no part between "${begin}" and "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${families.map(familyText).join('\n\n')}\n\n${page.slice(to)}`;
}

function familyText({ title, rows }: CaseFamily): string {
  const shown = rows.filter(({ later }) => later === undefined);
  const waiting = rows.filter(({ later }) => later !== undefined);
  const parts = [
    `## ${title}`,
    tableOf(['Case', 'What goes wrong elsewhere', 'What holds here'], shown.map(cellsOf)),
    ...(waiting.length === 0
      ? []
      : [
          'These wait for a part that is not there yet:',
          tableOf(
            ['Case', 'What goes wrong elsewhere', 'What it waits for'],
            waiting.map(({ id, wrong, later = '' }) => [
              id,
              wrong,
              `${later.charAt(0).toUpperCase()}${later.slice(1)}.`,
            ]),
          ),
        ]),
  ];
  return parts.join('\n\n');
}

function cellsOf({ id, wrong, right }: CaseRow): readonly string[] {
  return [id, wrong, right];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
