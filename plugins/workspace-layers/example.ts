// node --conditions=@varve/source --import tsx plugins/workspace-layers/example.ts
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Session } from '@varve/core';
import { workspaceLayers } from '@varve/plugin-workspace-layers';

const dir = await mkdtemp(join(tmpdir(), 'varve-example-'));
await writeFile(join(dir, 'AGENTS.md'), 'Answer in one sentence.\n');

const use = async (session: Session, name: string, input: Record<string, string>): Promise<string> => {
  const tool = session.tools().find((one) => one.name === name);
  const output = await tool?.execute(input, { toolCallId: '1' });
  return output?.type === 'text' ? output.value : JSON.stringify(output);
};

for (const shareWithGroups of [false, true]) {
  await using host = await createHost({ plugins: [workspaceLayers({ dir, timeZone: 'UTC', shareWithGroups })] });
  if (!shareWithGroups) {
    const direct = await host.open('direct', { key: 'agent:main:telegram:direct:user_123', identity: 'ada' });
    await use(direct, 'memory_save', { text: 'Conclusion: the API is REST.', scope: 'agent' });
    await use(direct, 'memory_save', { text: 'Ada sees the dentist on Monday.', scope: 'private' });
    console.log(`direct chat: ${await use(direct, 'memory_search', { query: 'API dentist' })}\n`);
  }
  const group = await host.open('group', { key: 'agent:main:discord:group:team_456' });
  const found = await use(group, 'memory_search', { query: 'API dentist' });
  console.log(`group, ${shareWithGroups ? 'with' : 'without'} a share: ${found}\n`);
}
await rm(dir, { recursive: true });
