import { stableHash } from '../packages/core/src/stable-hash.ts';

const hashOf = (patterns: unknown) => stableHash({ plugins: [['acme/redactor', '1.0.0', { patterns }]] });

console.log('as text    ', JSON.stringify([/sk-\w+/g]), JSON.stringify([/.+@.+/g]));
console.log('as RegExp  ', hashOf([/sk-\w+/g]), hashOf([/.+@.+/g]));
console.log('as strings ', hashOf(['sk-\\w+']), hashOf(['.+@.+']));
