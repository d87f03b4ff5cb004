import bank.ingest.api.ProductionApi;
import bank.ingest.model.EventAnswer;
import bank.ingest.model.LoginEvent;
import bank.ingest.model.OperationEvent;
import bank.ingest.model.OperationEventAccount;
import bank.ingest.model.OperationEventOrder;
import bank.ingest.model.OperationEventTransaction;
import bank.management.api.EventsApi;
import bank.management.model.EventDetail;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;

/** Plays the steps of e2e/generated/main.ts with generated clients, and prints one JSON object. */
public final class Play {
    public static void main(String[] arguments) throws Exception {
        var ingest = new bank.ingest.ApiClient();
        ingest.updateBaseUri(System.getenv("INGEST_URL"));
        ingest.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("LICENSE_KEY")));
        var events = new ProductionApi(ingest);
        var management = new bank.management.ApiClient();
        management.updateBaseUri(System.getenv("MANAGEMENT_URL"));
        management.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("MANAGEMENT_TOKEN")));

        Map<String, Object> seen = new LinkedHashMap<>();
        EventAnswer login = events.productionAppLogin(
            new LoginEvent().channelId(1).user("java").session("java-1").publicIp("203.0.113.9").data(""),
            "java-login", null, null);
        seen.put("login", login.getStatus().getValue());

        OperationEvent operation = new OperationEvent()
            .channelId(1)
            .timestamp(OffsetDateTime.now().toString())
            .transaction(new OperationEventTransaction().category("suspicious").reference("java-r"))
            .account(new OperationEventAccount().client("java").session("java-1").clientRefId(9_007_199_254_740_991L))
            .order(new OperationEventOrder().amount(new BigDecimal(System.getenv("AMOUNT"))).currency("MXN"));
        EventAnswer decided = events.productionAppOperation(operation, "java-operation", "wait=5", null);
        seen.put("operation", decided.getStatus().getValue());
        seen.put("fired", decided.getFired().get(0).getReason());
        seen.put("action", decided.getActions().get(0).getAction());
        seen.put("matched", decided.getSession().getMatched());

        try {
            events.productionAppOperation(new OperationEvent().channelId(1), null, null, null);
        } catch (bank.ingest.ApiException refused) {
            seen.put("refused", refused.getCode());
        }

        EventDetail event = new EventsApi(management).readEvent("bank:production", decided.getId(), null);
        seen.put("status", event.getStatus().getValue());
        seen.put("amount", event.getAmount());
        System.out.println(new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(seen));
    }
}
