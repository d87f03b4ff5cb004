"""Plays the steps of e2e/generated/main.ts with generated clients, and prints one JSON object."""

import datetime
import json
import os

import ingest
import management

events = ingest.ProductionApi(
    ingest.ApiClient(ingest.Configuration(host=os.environ["INGEST_URL"], access_token=os.environ["LICENSE_KEY"]))
)
stored = management.EventsApi(
    management.ApiClient(
        management.Configuration(host=os.environ["MANAGEMENT_URL"], access_token=os.environ["MANAGEMENT_TOKEN"])
    )
)
seen = {}

login = events.production_app_login(
    ingest.LoginEvent(channelId=1, user="python", session="python-1", publicIp="203.0.113.9", data=""),
    idempotency_key="python-login",
)
seen["login"] = login.status

operation = ingest.OperationEvent(
    channelId=1,
    timestamp=datetime.datetime.now(datetime.timezone.utc).isoformat(),
    transaction=ingest.OperationEventTransaction(category="suspicious", reference="python-r"),
    account=ingest.OperationEventAccount(client="python", session="python-1", clientRefId=9_007_199_254_740_991),
    order=ingest.OperationEventOrder(amount=float(os.environ["AMOUNT"]), currency="MXN"),
)
decided = events.production_app_operation(operation, idempotency_key="python-operation", prefer="wait=5")
seen["operation"] = decided.status
seen["fired"] = decided.fired[0].reason
seen["action"] = decided.actions[0].action
seen["matched"] = decided.session.matched

try:
    events.production_app_operation(ingest.OperationEvent(channelId=1))
except ingest.ApiException as refused:
    seen["refused"] = refused.status

event = stored.read_event("bank:production", decided.id)
seen["status"] = event.status
seen["amount"] = event.amount
print(json.dumps(seen))
