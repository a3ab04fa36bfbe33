/** The pages. Everything that costs money happens behind `startRefreshCase`; this file only asks and shows. */
import express, { type Express, type Response } from 'express';
import { DifferentInput, readProgress, startRefreshCase, type StarterDeps } from 'tramita/client';
import { formatCnj, parseCnj } from 'tramita/contract';
import { refreshCaseId, type RefreshCaseResult } from 'tramita/protocol';

export function createApp(deps: StarterDeps): Express {
  const app = express();
  app.use(express.urlencoded({ extended: false }));

  app.get('/orders/:order', (request, response) => {
    response.send(
      page(`<form method="post"><input name="cnj" placeholder="case number" required><button>Refresh</button></form>
      <p>Order ${escapeHtml(request.params.order)}</p>`),
    );
  });

  // However often the button is pressed: one order pays for one refresh, today and next month.
  app.post('/orders/:order', async (request, response) => {
    const cnj = parseCnj(String((request.body as { cnj?: unknown }).cnj ?? ''));
    if (!cnj.ok) return void problem(response, 400, 'That is no case number.');
    try {
      await startRefreshCase(deps, { cnj: cnj.cnj, once: `order-${request.params.order}` });
      response.redirect(303, `/cases/${cnj.cnj}`);
    } catch (error) {
      // another order refreshes this case at the moment
      if (!(error instanceof DifferentInput)) throw error;
      problem(response, 409, 'This case is being refreshed for another order. Try again in some minutes.');
    }
  });

  app.get('/cases/:cnj', async (request, response) => {
    const cnj = parseCnj(request.params.cnj);
    if (!cnj.ok) return void problem(response, 404, 'There is no such case.');
    response.send(page(await describeCase(deps, cnj.cnj)));
  });

  return app;
}

/** Status and cost, from the flow itself: there is nothing to keep in a table of ours. */
async function describeCase(deps: StarterDeps, cnj: string): Promise<string> {
  const { client } = deps;
  const workflowId = refreshCaseId('default', cnj);
  const { status } = await client.workflow.getHandle(workflowId).describe();
  const title = `<h1>${formatCnj(cnj)}</h1>`;
  if (status.name === 'COMPLETED') {
    const { refreshedAt, spent } = (await client.workflow.getHandle(workflowId).result()) as RefreshCaseResult;
    return `${title}<p>refreshed at ${escapeHtml(refreshedAt)}, cost ${spent.known}</p>`;
  }
  if (status.name !== 'RUNNING') return `${title}<p>ended as ${status.name.toLowerCase()}</p>`;
  const { state, spent } = await readProgress(client, workflowId);
  return `${title}<p>${escapeHtml(state)}, cost ${spent.known} so far</p>`;
}

function problem(response: Response, code: number, text: string): void {
  response.status(code).send(page(`<p>${text}</p>`));
}

function page(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Cases</title><body>${body}</body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
