export {
  type ClassifiedModelError,
  classifyModelError,
  isOverflow,
  type ModelErrorKind,
} from './classify-model-error.ts';
