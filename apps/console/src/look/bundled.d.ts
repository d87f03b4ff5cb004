/** Types of imported files that are not code. */
declare module '*.css';
declare module '*.svg' {
  export const url: string;
}
declare module '@fontsource-variable/inter';
declare module 'world-atlas/countries-110m.json' {
  const world: { readonly objects: { readonly countries: object } };
  export default world;
}
declare module 'topojson-client' {
  export function feature(
    topology: object,
    object: object,
  ): {
    readonly features: readonly {
      readonly id?: string | number;
      readonly properties: object;
      readonly geometry: { readonly coordinates: readonly unknown[] };
    }[];
  };
}
declare module 'cytoscape-fcose' {
  const layout: (cytoscape: object) => void;
  export default layout;
}
