import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { isolated } from './isolated.ts';
import { en, es } from './texts.ts';

export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

declare module 'i18next' {
  interface CustomTypeOptions {
    readonly resources: { readonly translation: typeof en };
  }
}

const kept = 'ringfence.language';

/** The language chosen here, else that of the browser, else English. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(kept), ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return (
    languages.find((language) => wanted.find((tag) => languages.some((known) => known === tag)) === language) ?? 'en'
  );
}

export async function startLanguage(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: { en: { translation: en }, es: { translation: es } },
    lng: 'en',
    fallbackLng: 'en',
    // React escapes HTML; this only isolates the text direction.
    interpolation: { escape: isolated },
  });
  await changeLanguage(firstLanguage());
}

export async function changeLanguage(language: Language): Promise<void> {
  localStorage.setItem(kept, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}
