import { VarveError } from '@varve/core';
import type { Stage } from '../stage.ts';
import type { Operation } from '../transcript-plan.ts';
import { tryAssemble } from './try-assemble.ts';

/** Takes something back: what there is of it by then, which may be nothing. */
export async function undo(stage: Stage, { what, pick }: Extract<Operation, { readonly do: 'undo' }>): Promise<void> {
  if (what === 'fresh-compaction') return undoFresh(stage);
  const { session } = stage;
  const newest = session.view.compaction();
  const entries = stage.appended.filter(({ type }) => type === what);
  const target = what === 'newest-compaction' ? newest : entries[pick % Math.max(1, entries.length)];
  if (target === null || target === undefined) return;
  try {
    await session.undo(target.id);
    stage.count(`${target.type} undone`);
  } catch (error) {
    const isNewest = target.id === newest?.id;
    if (isNewest || !VarveError.is(error, 'VARVE_UNDO_ORDER')) throw error;
    stage.count('undo refused');
  }
}

/** A compaction that is undone at once leaves the next prompt as it was. Notes end with it, so there must be none. */
async function undoFresh(stage: Stage): Promise<void> {
  const { session, model } = stage;
  const before = await tryAssemble(stage, { dryRun: true });
  if (!('manifest' in before) || before.manifest.notes.some(({ isNew }) => !isNew)) return;
  const { entry } = await session.compact('manual', { model });
  if (entry === null) return;
  await session.undo(entry.id);
  stage.see({ kind: 'same', what: 'undo', a: before, b: await tryAssemble(stage, { dryRun: true }) });
  stage.count('compaction undone at once');
}
