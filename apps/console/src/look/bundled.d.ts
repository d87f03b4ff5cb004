/** What the bundler makes of files that are not code. */
declare module '*.css';
declare module '*.svg' {
  export const url: string;
}
declare module '@fontsource-variable/inter';
