/** A shared WebGL context, created at first use; `undefined` if the browser provides none. */
export interface SharedWebgl {
  readonly get: () => WebGLRenderingContext | undefined;
  /** Releases the context: a page may only have a few. */
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
        // Not a context of the browser, but an object that the page put in its place.
      }
    },
  };
}
