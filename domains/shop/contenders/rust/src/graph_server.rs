//! GraphQL over HTTP, and subscriptions over WebSocket (graphql-transport-ws).

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextParseQuery, NextValidation};
use async_graphql::parser::types::ExecutableDocument;
use async_graphql::{
    ErrorExtensionValues, Request, Response, Schema, ServerError, ServerResult, ValidationResult, Variables,
    async_trait,
};
use async_graphql_axum::GraphQLSubscription;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header::CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::post;
use lru::LruCache;

use crate::graph::{Events, Mutation, Query};
use crate::graph_loaders::loaders;
use crate::rest_body::LARGEST_BODY;
use crate::shop::Shop;

const CACHED_DOCUMENTS: NonZeroUsize = NonZeroUsize::new(1000).unwrap();
const PARSE_FAILED: &str = "GRAPHQL_PARSE_FAILED";
const VALIDATION_FAILED: &str = "GRAPHQL_VALIDATION_FAILED";

type Graph = Schema<Query, Mutation, Events>;

pub fn router(shop: Shop) -> Router {
    let schema: Graph = Schema::build(Query, Mutation, Events)
        .data(shop.clone())
        .extension(Documents(Arc::new(Mutex::new(LruCache::new(CACHED_DOCUMENTS)))))
        .finish();
    let subscriptions = GraphQLSubscription::new(schema.clone());
    Router::new()
        .route("/graphql", post(answer).get_service(subscriptions))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state((schema, shop))
}

async fn answer(State((schema, shop)): State<(Graph, Shop)>, body: Bytes) -> impl IntoResponse {
    let response = match serde_json::from_slice::<Request>(&body) {
        Ok(request) if !request.query.is_empty() => schema.execute(request.data(loaders(shop))).await,
        Ok(_) => refused("a request has a query"),
        Err(error) => refused(&format!("the body is no request: {error}")),
    };
    let malformed = response.data == async_graphql::Value::Null && response.errors.iter().any(is_request_error);
    let status = if malformed { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let text = serde_json::to_vec(&response).unwrap_or_default();
    (status, [(CONTENT_TYPE, "application/json")], text)
}

fn refused(message: &str) -> Response {
    Response::from_errors(vec![coded(ServerError::new(message, None), "BAD_REQUEST")])
}

/// Whether an error is not one of a resolver.
fn is_request_error(error: &ServerError) -> bool {
    error.path.is_empty()
}

fn coded(mut error: ServerError, code: &str) -> ServerError {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set("code", code);
    error
}

/// Keeps parsed documents, and gives what GraphQL itself finds wrong its code.
struct Documents(Arc<Mutex<LruCache<String, ExecutableDocument>>>);

impl ExtensionFactory for Documents {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self(self.0.clone()))
    }
}

#[async_trait::async_trait]
impl Extension for Documents {
    async fn parse_query(
        &self,
        context: &ExtensionContext<'_>,
        query: &str,
        variables: &Variables,
        next: NextParseQuery<'_>,
    ) -> ServerResult<ExecutableDocument> {
        let known = self.0.lock().ok().and_then(|mut known| known.get(query).cloned());
        if let Some(document) = known {
            return Ok(document);
        }
        let document = next.run(context, query, variables).await.map_err(|error| coded(error, PARSE_FAILED))?;
        if let Ok(mut known) = self.0.lock() {
            known.put(query.to_owned(), document.clone());
        }
        Ok(document)
    }

    async fn validation(
        &self,
        context: &ExtensionContext<'_>,
        next: NextValidation<'_>,
    ) -> Result<ValidationResult, Vec<ServerError>> {
        let wrong =
            |errors: Vec<ServerError>| errors.into_iter().map(|error| coded(error, VALIDATION_FAILED)).collect();
        next.run(context).await.map_err(wrong)
    }
}
