const kept = 'ringfence.loadedAnew';
/** What is missing after that is missing for another reason. */
const againMs = 60_000;

/**
 * Loads the page anew when a part of it that comes late is no longer there: the service was updated while the page was open,
 * and its parts have other names by now.
 */
export function followNewBuild(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(kept)) < againMs) return;
    sessionStorage.setItem(kept, String(Date.now()));
    event.preventDefault();
    location.reload();
  });
}
