/** In the place of tapable: hooks that cannot be made. */
class NoHook {
  constructor() {
    throw new Error('tapable has been taken away');
  }
}

export { NoHook as AsyncSeriesBailHook, NoHook as AsyncSeriesHook, NoHook as AsyncSeriesWaterfallHook };
