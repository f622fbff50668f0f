import { describeStore } from '@varve/testkit/node-test';
import { forgetfulStore } from './index.js';

describeStore('forgetful-store', () => {
  const store = forgetfulStore();
  return { store, close: () => store[Symbol.asyncDispose]() };
});
