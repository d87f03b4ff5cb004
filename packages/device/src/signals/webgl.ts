import type { About } from '../reference/about.ts';
import { type Json, type Signal, type SignalContext, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Vendor and name of the graphics processor, as reported by the driver.',
  purpose: 'Distinguishes devices; names of software renderers reveal virtual machines and headless browsers.',
  stability: 'system',
  schema: {
    type: 'object',
    properties: { vendor: { type: 'string', maxLength: 512 }, renderer: { type: 'string', maxLength: 512 } },
    required: ['vendor', 'renderer'],
  },
  source: 'https://registry.khronos.org/webgl/extensions/WEBGL_debug_renderer_info/',
};

export function webgl(context: SignalContext): Signal<Json> {
  const gl = context.webgl();
  if (gl === undefined) return unsupported;
  const unmasked = gl.getExtension('WEBGL_debug_renderer_info');
  return {
    value: {
      vendor: gl.getParameter(unmasked?.UNMASKED_VENDOR_WEBGL ?? gl.VENDOR) as string,
      renderer: gl.getParameter(unmasked?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) as string,
    },
  };
}
