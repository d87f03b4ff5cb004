export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const kept = 'ringfence.theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(kept)) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(kept, theme);
  showTheme();
}

/** Applies the chosen theme; with `system` it follows the operating system. */
export function startTheme(): void {
  showTheme();
  prefersDark.addEventListener('change', showTheme);
}

export function isDark(): boolean {
  return document.documentElement.dataset['theme'] === 'dark';
}

function showTheme(): void {
  const theme = chosenTheme();
  const dark = theme === 'dark' || (theme === 'system' && prefersDark.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}
