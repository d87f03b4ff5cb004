import { ApiProblem } from '../api/api-problem.ts';

const kept = 'ringfence.loadedAnew';
/** After a reload within this time, a missing module has another cause. */
const againMs = 60_000;
/** Delay between attempts to load a module. */
const waitMs = 2_000;
/** How long to retry a module while the service is reachable. */
const failuresMax = 3;

/**
 * Reloads the page if a lazy module no longer exists: after an update of the service, modules have other names. While
 * the
 * service is unreachable, the page and its drafts stay.
 */
export function followNewBuild(): void {
  window.addEventListener('vite:preloadError', () => void loadAnewIfReplaced());
}

/** Loads a lazy module, and waits while the service is unreachable. @throws ApiProblem if it cannot be loaded */
export async function latePart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failures = 0; ;) {
    try {
      return await load();
    } catch (error) {
      if ((await servedPage()) !== undefined && ++failures >= failuresMax) throw ApiProblem.unreachable(error);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

async function loadAnewIfReplaced(): Promise<void> {
  const served = await servedPage();
  const own = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  if (served === undefined || served.includes(own)) return;
  if (Date.now() - Number(sessionStorage.getItem(kept)) < againMs) return;
  sessionStorage.setItem(kept, String(Date.now()));
  location.reload();
}

/** The current page of the service; `undefined` if it is unavailable. */
async function servedPage(): Promise<string | undefined> {
  try {
    const response = await fetch('/console/', { cache: 'no-store' });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
