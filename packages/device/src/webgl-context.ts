/** One WebGL context for all that ask, made at the first question; `undefined` when the browser gives none. */
export interface SharedWebgl {
  readonly get: () => WebGLRenderingContext | undefined;
  /** Gives the context back: a page may only have a few. */
  readonly release: () => void;
}

export function sharedWebgl(): SharedWebgl {
  let context: WebGLRenderingContext | null | undefined;
  return {
    get: () => {
      context ??= document.createElement('canvas').getContext('webgl');
      return context ?? undefined;
    },
    release: () => {
      try {
        context?.getExtension('WEBGL_lose_context')?.loseContext();
      } catch {
        // No context of the browser's, but something that the page put in its place.
      }
    },
  };
}
