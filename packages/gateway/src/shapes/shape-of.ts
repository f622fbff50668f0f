import type { z } from 'zod';

/**
 * Says which type a shape describes: one of core's, say, with readonly lists. What is answered is held against the shape in
 * tests, so that the two do not drift apart.
 */
export function shapeOf<Type>(shape: z.ZodType): z.ZodType<Type> {
  return shape as z.ZodType<Type>;
}
