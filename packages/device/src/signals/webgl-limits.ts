import { digest } from '../digest.ts';
import type { About } from '../reference/about.ts';
import { type Json, type Signal, type SignalContext, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Capabilities of the graphics driver: its limits in a fixed order, and a digest of its extensions.',
  purpose: 'Compared with the name of the graphics processor, which is easy to change.',
  stability: 'system',
  schema: {
    type: 'object',
    properties: {
      limits: { type: 'array', items: { type: 'number' }, maxItems: 64 },
      extensions: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' },
    },
    required: ['limits', 'extensions'],
  },
  source: 'https://registry.khronos.org/webgl/specs/latest/1.0/#5.14.3',
};

export async function webglLimits(context: SignalContext): Promise<Signal<Json>> {
  const gl = context.webgl();
  if (gl === undefined) return unsupported;
  const numbers = [
    gl.MAX_TEXTURE_SIZE,
    gl.MAX_CUBE_MAP_TEXTURE_SIZE,
    gl.MAX_RENDERBUFFER_SIZE,
    gl.MAX_TEXTURE_IMAGE_UNITS,
    gl.MAX_VERTEX_TEXTURE_IMAGE_UNITS,
    gl.MAX_COMBINED_TEXTURE_IMAGE_UNITS,
    gl.MAX_VERTEX_ATTRIBS,
    gl.MAX_VERTEX_UNIFORM_VECTORS,
    gl.MAX_FRAGMENT_UNIFORM_VECTORS,
    gl.MAX_VARYING_VECTORS,
    gl.ALIASED_LINE_WIDTH_RANGE,
    gl.ALIASED_POINT_SIZE_RANGE,
    gl.MAX_VIEWPORT_DIMS,
    gl.SAMPLES,
    gl.SUBPIXEL_BITS,
  ];
  const limits = numbers.flatMap((name) => {
    const value = gl.getParameter(name) as number | ArrayLike<number>;
    return typeof value === 'number' ? [value] : Array.from(value);
  });
  const extensions = await digest((gl.getSupportedExtensions() ?? []).join());
  return { value: { limits, extensions } };
}
