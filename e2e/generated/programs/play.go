// Plays the steps of e2e/generated/main.ts with generated clients, and prints one JSON object.
package main

import (
	"bank/ingest"
	"bank/management"
	"context"
	"encoding/json"
	"os"
	"strconv"
	"time"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := ingest.NewConfiguration()
	configuration.Servers = ingest.ServerConfigurations{{URL: os.Getenv("INGEST_URL")}}
	events := ingest.NewAPIClient(configuration).ProductionAPI
	asBank := context.WithValue(context.Background(), ingest.ContextAccessToken, os.Getenv("LICENSE_KEY"))
	managing := management.NewConfiguration()
	managing.Servers = management.ServerConfigurations{{URL: os.Getenv("MANAGEMENT_URL")}}
	stored := management.NewAPIClient(managing).EventsAPI
	asOperator := context.WithValue(context.Background(), management.ContextAccessToken, os.Getenv("MANAGEMENT_TOKEN"))
	seen := map[string]any{}

	login := ingest.NewLoginEvent(1, "go", "203.0.113.9", "")
	login.SetSession("go-1")
	accepted, _, err := events.ProductionAppLogin(asBank).LoginEvent(*login).IdempotencyKey("go-login").Execute()
	check(err)
	seen["login"] = accepted.GetStatus()

	amount, err := strconv.ParseFloat(os.Getenv("AMOUNT"), 64)
	check(err)
	operation := ingest.NewOperationEvent(1)
	operation.SetTimestamp(time.Now().Format(time.RFC3339Nano))
	transaction := ingest.NewOperationEventTransaction()
	transaction.SetCategory("suspicious")
	transaction.SetReference("go-r")
	operation.SetTransaction(*transaction)
	account := ingest.NewOperationEventAccount()
	account.SetClient("go")
	account.SetSession("go-1")
	account.SetClientRefId(9_007_199_254_740_991)
	operation.SetAccount(*account)
	order := ingest.NewOperationEventOrder()
	order.SetAmount(amount)
	order.SetCurrency("MXN")
	operation.SetOrder(*order)
	decided, _, err := events.ProductionAppOperation(asBank).OperationEvent(*operation).
		IdempotencyKey("go-operation").Prefer("wait=5").Execute()
	check(err)
	seen["operation"] = decided.GetStatus()
	seen["fired"] = decided.Fired[0].GetReason()
	seen["action"] = decided.Actions[0].GetAction()
	session := decided.GetSession()
	seen["matched"] = session.GetMatched()

	_, response, err := events.ProductionAppOperation(asBank).OperationEvent(*ingest.NewOperationEvent(1)).Execute()
	if err != nil && response != nil {
		seen["refused"] = response.StatusCode
	}

	event, _, err := stored.ReadEvent(asOperator, "bank:production", decided.GetId()).Execute()
	check(err)
	seen["status"] = event.GetStatus()
	seen["amount"] = event.GetAmount()
	check(json.NewEncoder(os.Stdout).Encode(seen))
}
