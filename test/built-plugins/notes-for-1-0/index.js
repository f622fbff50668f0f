import { definePlugin } from '@varve/core';

const options = {
  '~standard': {
    version: 1,
    vendor: 'acme',
    validate: (value) =>
      typeof value.title === 'string' || value.title === undefined
        ? { value: { title: value.title ?? 'Notes' } }
        : { issues: [{ message: 'It is no text.', path: ['title'] }] },
  },
};
/** Adds a layer of notes, and counts what comes in. */
export const notes = definePlugin({
  name: 'acme/notes-for-1-0',
  version: '1.4.2',
  apiVersion: '^1.0.0',
  options,
  apply: ({ hooks }, { title }) => {
    hooks.ingest.tapPromise('read', async () => undefined);
    hooks.collect.tapPromise('add the notes', async (draft) =>
      draft.addLayer(
        {
          id: 'notes',
          role: 'system',
          stability: 'static',
          heading: title,
          items: [{ text: 'Silt settles last.' }],
        },
        'notes',
      ),
    );
  },
});
